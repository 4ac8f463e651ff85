//! Folders with a file for each page: which files are pages and which URLs they stand for, and how the files of an output are named.

pub(crate) mod file_names;
pub(crate) mod folder_walk;
pub(crate) mod folder_write;
pub(crate) mod page_file;
pub(crate) mod path_url;
