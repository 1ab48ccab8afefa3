/* A page opened from the file system may not read other files, so the search shows titles only. */
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
