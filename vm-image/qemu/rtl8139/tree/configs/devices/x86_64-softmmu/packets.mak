# Which devices does this QEMU need? The machine "pc", what every profile has, and network cards
# to choose from.
CONFIG_I440FX=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_NET=y
CONFIG_VIRTIO_RNG=y
CONFIG_ACPI_VMGENID=y
CONFIG_RTL8139_PCI=y
CONFIG_E1000_PCI=y
CONFIG_PCNET_PCI=y
CONFIG_NE2000_PCI=y
