//! Templates of many sites in one file, kept from crawl to crawl.
//!
//! With each template the store keeps the sample of pages it was learned from, so that learning from further pages of the
//! site gives the same template as learning from all at once.
//!
//! The file is written once, by learning, and replaces the one before it as a whole; what did not change is copied. So a
//! store that is read is never changed, and needs neither locks nor repair. An entry for each site is followed by an index of
//! the entries and an end with the checksum of the index. The index has the checksum of each template, each entry that of
//! its pages, and all that is read is compared with its checksum.
//!
//! Written by hand: databases such as redb lock and change a file that is only read, and may end the process on a damaged one.
//!
//! ```text
//! file:   mark, site entry…, index entry…, offset of the index, number of entries, checksum of both, mark
//! site entry:  name, template file, pages, checksum of the pages
//! index entry: hash of the name, offset of the site entry, length of the name and of the template, checksum of both
//! ```

use crate::atomic_file::AtomicFile;
use crate::crawl::learn::evidence::PageEvidence;
use crate::crawl::learn::learn_settings::{LearnSettings, remove_stopped};
use crate::crawl::learn::sample::{SiteSamples, merge_samples};
use crate::error::{Error, ErrorKind};
use crate::hash::hash64;
use crate::spill_sort::SpillItem;
use dehusk::{SiteMethod, SiteTemplates};
use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The first and the last bytes of a store.
const MARK: &[u8; 16] = b"dehusk-store-2\r\n";
/// The bytes of an index entry and of the end.
const ENTRY: usize = 32;
const END: usize = 40;

/// The maximum number of sites learned at once: each needs the memory of all pages kept of it.
const MAX_SITES_AT_ONCE: usize = 4;
/// The maximum number of entries of the templates held in memory.
const MAX_CACHED_ENTRIES: usize = 2_000_000;

/// A file of templates, opened to be read.
pub struct TemplateStore {
    path: PathBuf,
    file: Mutex<StoreFile>,
    /// The index of the file, read once: 36 bytes for each site.
    index: Index,
    /// The methods that its templates may have been learned with.
    methods: Vec<SiteMethod>,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    templates: HashMap<String, Arc<SiteTemplates>>,
    entries: usize,
}

impl TemplateStore {
    /// Opens a store to read it, and creates it first if there is none.
    ///
    /// # Errors
    /// If the file cannot be written, or is not a template store.
    pub fn open_or_create(path: &Path, methods: &[SiteMethod]) -> Result<TemplateStore, Error> {
        if !path.exists() {
            NewStoreFile::create(path)?.finish()?;
        }
        TemplateStore::open(path, methods)
    }

    /// Removes a site from a store. Returns whether it was there.
    ///
    /// # Errors
    /// If the store cannot be used, or another run learns into it.
    pub fn remove_site(path: &Path, site: &str) -> Result<bool, Error> {
        StoreWriter::open_existing(path)?.remove_site(site)
    }

    /// Opens an existing store whose templates were learned with some of these methods. The file is not changed, and any number of
    /// processes can use it.
    ///
    /// # Errors
    /// If the file does not exist or is not a template store.
    pub fn open(path: &Path, methods: &[SiteMethod]) -> Result<TemplateStore, Error> {
        if !path.is_file() {
            return Err(Error::new(ErrorKind::CannotRead, "no such template store").at(path));
        }
        let file = File::open(path).map_err(|error| Error::read(path, error))?;
        let mut file = StoreFile { file };
        let index = file.index().map_err(|broken| broken.at(path))?;
        let file = Mutex::new(file);
        Ok(TemplateStore { path: path.to_path_buf(), file, index, methods: methods.to_vec(), cache: Mutex::default() })
    }

    /// The template of a site, if there is one.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn template(&self, site: &str) -> Result<Option<Arc<SiteTemplates>>, Error> {
        let lock = || self.cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(template) = lock().templates.get(site) {
            return Ok(Some(template.clone()));
        }
        let fail = |broken: Broken| broken.at(&self.path);
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some((_, bytes)) = file.find(&self.index, site).map_err(fail)? else { return Ok(None) };
        // Parsing takes longer than reading, and other threads wait for the file.
        drop(file);
        let Some(template) = parse_template(site, &bytes, &self.methods).map_err(fail)? else { return Ok(None) };
        let template = Arc::new(template);
        let mut cache = lock();
        // What a template holds apart from counts takes about as much memory as this many counts.
        let entries = 16 + template.counts().len() + 4_000 * template.templates().len();
        if cache.entries + entries > MAX_CACHED_ENTRIES {
            // Crawls are ordered by host, more or less, so starting over costs little.
            *cache = Cache::default();
        }
        cache.entries += entries;
        cache.templates.insert(site.to_string(), template.clone());
        Ok(Some(template))
    }

    /// How many sites have a template.
    #[must_use]
    pub fn site_count(&self) -> u64 {
        self.index.sites.iter().filter(|site| site.template_length > 0).count() as u64
    }

    /// What is in the store, as a text that changes with it.
    pub(crate) fn identity(&self) -> String {
        self.index.identity()
    }

    /// All template files one after the other, in the order of their sites.
    ///
    /// # Errors
    /// If the file cannot be read or is damaged.
    pub fn export(&self) -> Result<Vec<u8>, Error> {
        let mut file = self.file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let sites = self.index.sites.iter().map(|site| file.head(site));
        let mut sites = sites.collect::<Result<Vec<_>, _>>().map_err(|broken| broken.at(&self.path))?;
        sites.sort_unstable();
        Ok(sites.into_iter().flat_map(|(_, template)| template).collect())
    }
}

/// A template as it was read; nothing if the site has only pages.
fn parse_template(site: &str, bytes: &[u8], methods: &[SiteMethod]) -> Result<Option<SiteTemplates>, Broken> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let template = SiteTemplates::from_bytes(bytes, methods);
    template.map(Some).map_err(|error| Broken::Damaged(format!("the template of {site}: {error}")))
}

/// A template store opened to learn.
pub(crate) struct StoreWriter {
    path: PathBuf,
    /// The file to be replaced, locked so that no other run replaces it meanwhile.
    old: StoreFile,
    index: Index,
    keep_pages: bool,
}

impl StoreWriter {
    /// Opens or creates a store. With `keep_pages` it can continue learning later.
    pub(crate) fn open(path: &Path, keep_pages: bool) -> Result<StoreWriter, Error> {
        if !path.exists() {
            NewStoreFile::create(path)?.finish()?;
        }
        Ok(StoreWriter { keep_pages, ..StoreWriter::open_existing(path)? })
    }

    /// Opens a store that must be there, and can continue learning later.
    pub(crate) fn open_existing(path: &Path) -> Result<StoreWriter, Error> {
        if !path.exists() {
            let message = "the template store is gone, and a new one would not have its sites: put it back";
            return Err(Error::new(ErrorKind::TemplateStore, message).at(path));
        }
        let file = File::open(path).map_err(|error| Error::read(path, error))?;
        let in_use = || Error::new(ErrorKind::InUse, "another run learns into this template store").at(path);
        // Some file systems have no locks; there, nothing prevents two runs from learning at the same time.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(in_use());
        }
        let mut old = StoreFile { file };
        let index = old.index().map_err(|broken| broken.at(path))?;
        // Another run may have replaced the file before it was locked.
        if TemplateStore::open(path, &[])?.identity() != index.identity() {
            return Err(in_use());
        }
        Ok(StoreWriter { path: path.to_path_buf(), old, index, keep_pages: true })
    }

    /// Learns from the samples of a crawl, completely or not at all.
    pub(crate) fn learn(mut self, mut samples: SiteSamples, how: &LearnSettings<'_>) -> Result<(), Error> {
        let path = self.path.clone();
        let fail = |broken: Broken| broken.at(&path);
        let mut new = NewStoreFile::create(&path)?;
        let mut is_replaced = vec![false; self.index.sites.len()];
        // Several sites at once; they are written in order.
        let at_once = how.threads.clamp(1, MAX_SITES_AT_ONCE);
        let mut batch = Vec::with_capacity(at_once);
        loop {
            let next = samples.next_site()?;
            let at_end = next.is_none();
            if let Some((site, mut sample)) = next {
                let mut template = Vec::new();
                if let Some((number, bytes)) = self.old.find(&self.index, &site).map_err(fail)? {
                    is_replaced[number] = true;
                    sample = self.with_known(&site, number, &bytes, sample, how).map_err(fail)?;
                    template = bytes;
                }
                batch.push((site, sample, template));
            }
            if batch.len() >= at_once || at_end {
                how.learn(&mut batch)?;
                for (site, sample, template) in batch.drain(..) {
                    let pages: &[PageEvidence] = if self.keep_pages { &sample } else { &[] };
                    if !pages.is_empty() || !template.is_empty() {
                        new.add(&site, &template, &pages_to_bytes(pages))?;
                    }
                }
            }
            if at_end {
                break;
            }
        }
        self.copy(&mut new, |number| !is_replaced[number])?;
        new.finish()
    }

    /// Learns one site, completely or not at all, from a sample alone or together with the pages known. Returns whether there are enough of them.
    pub(crate) fn learn_site(
        mut self,
        site: &str,
        mut sample: Vec<PageEvidence>,
        with_known: bool,
        how: &LearnSettings<'_>,
    ) -> Result<bool, Error> {
        let path = self.path.clone();
        let known = self.old.find(&self.index, site).map_err(|broken| broken.at(&path))?;
        if let Some((number, bytes)) = known.as_ref().filter(|_| with_known) {
            sample = self.with_known(site, *number, bytes, sample, how).map_err(|broken| broken.at(&path))?;
        }
        let Some(template) = how.learn_sample(site, &sample) else { return Ok(false) };
        let mut new = NewStoreFile::create(&path)?;
        new.add(site, &template, &pages_to_bytes(&sample))?;
        self.copy(&mut new, |number| known.as_ref().is_none_or(|known| known.0 != number))?;
        new.finish().map(|()| true)
    }

    /// Removes one site. Returns whether it was there.
    pub(crate) fn remove_site(mut self, site: &str) -> Result<bool, Error> {
        let path = self.path.clone();
        let Some((removed, _)) = self.old.find(&self.index, site).map_err(|broken| broken.at(&path))? else {
            return Ok(false);
        };
        let mut new = NewStoreFile::create(&path)?;
        self.copy(&mut new, |number| number != removed)?;
        new.finish().map(|()| true)
    }

    /// A sample together with the pages that the store has of its site.
    fn with_known(
        &mut self,
        site: &str,
        number: usize,
        template: &[u8],
        sample: Vec<PageEvidence>,
        how: &LearnSettings<'_>,
    ) -> Result<Vec<PageEvidence>, Broken> {
        let mut known = self.old.pages(&self.index, number)?;
        if let Some(template) = parse_template(site, template, how.known_methods)? {
            remove_stopped(&mut known, &sample, &template);
        }
        Ok(merge_samples(known, sample))
    }

    /// Copies sites as they are, by their numbers.
    fn copy(&mut self, new: &mut NewStoreFile, is_kept: impl Fn(usize) -> bool) -> Result<(), Error> {
        let fail = |broken: Broken| broken.at(&self.path);
        for number in (0..self.index.sites.len()).filter(|number| is_kept(*number)) {
            let (name, template) = self.old.head(&self.index.sites[number]).map_err(fail)?;
            let pages = self.old.pages_bytes(&self.index, number).map_err(fail)?;
            new.add(&name, &template, &pages)?;
        }
        Ok(())
    }
}

/// Where the entry of a site is and what it must be.
#[derive(Clone, Copy, Debug)]
struct Site {
    /// The hash of its name.
    hash: u64,
    offset: u64,
    name_length: u32,
    template_length: u32,
    /// The checksum of name and template.
    checksum: u64,
}

impl Site {
    fn to_bytes(self) -> [u8; ENTRY] {
        let lengths = u64::from(self.name_length) << 32 | u64::from(self.template_length);
        let mut bytes = [0; ENTRY];
        for (place, number) in bytes.chunks_exact_mut(8).zip([self.hash, self.offset, lengths, self.checksum]) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Site {
        let [hash, offset, lengths, checksum] = [0, 8, 16, 24].map(|at| number(bytes, at));
        Site { hash, offset, name_length: (lengths >> 32) as u32, template_length: lengths as u32, checksum }
    }

    fn pages_offset(&self) -> u64 {
        self.offset.saturating_add(u64::from(self.name_length) + u64::from(self.template_length))
    }
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default())
}

/// The index of a store, in the order of the entries.
struct Index {
    sites: Vec<Site>,
    /// The numbers of the sites, by hash.
    by_hash: Vec<u32>,
    /// Where the entries end.
    end: u64,
    checksum: u64,
}

impl Index {
    fn identity(&self) -> String {
        format!("{:016x}", self.checksum)
    }
}

/// The file of a store, opened to be read.
struct StoreFile {
    file: File,
}

impl StoreFile {
    fn read(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, Broken> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(offset))?;
        // A wrong length takes no more memory than there is data.
        if (&self.file).take(length).read_to_end(&mut bytes)? as u64 != length {
            return Err(Broken::damaged("it ends too early"));
        }
        Ok(bytes)
    }

    /// Reads the index and compares it with its checksum.
    fn index(&mut self) -> Result<Index, Broken> {
        let length = self.file.metadata()?.len();
        if length < (MARK.len() + END) as u64 || self.read(0, MARK.len() as u64)? != MARK {
            return Err(Broken::damaged("its first bytes are not those of a store"));
        }
        let end = self.read(length - END as u64, END as u64)?;
        let [offset, count, checksum] = [0, 8, 16].map(|at| number(&end, at));
        let index_length = length - END as u64 - offset.min(length - END as u64);
        if &end[24..] != MARK || count.checked_mul(ENTRY as u64) != Some(index_length) || count > u64::from(u32::MAX) {
            return Err(Broken::damaged("its last bytes are not those of a store"));
        }
        let bytes = self.read(offset, index_length)?;
        if index_checksum(&bytes, &end[..16]) != checksum {
            return Err(Broken::damaged("its index does not have its checksum"));
        }
        let sites: Vec<Site> = bytes.chunks_exact(ENTRY).map(Site::from_bytes).collect();
        let mut by_hash: Vec<u32> = (0..count as u32).collect();
        by_hash.sort_unstable_by_key(|number| (sites[*number as usize].hash, *number));
        Ok(Index { sites, by_hash, end: offset, checksum })
    }

    /// The name and the template of a site.
    fn head(&mut self, site: &Site) -> Result<(String, Vec<u8>), Broken> {
        let mut name = self.read(site.offset, site.pages_offset() - site.offset)?;
        if hash64(&name, u64::from(site.name_length)) != site.checksum {
            return Err(Broken::damaged("a template does not have its checksum"));
        }
        let template = name.split_off(site.name_length as usize);
        Ok((String::from_utf8(name).map_err(|_| Broken::damaged("the name of a site is not text"))?, template))
    }

    /// The number of a site, if there is one of this name, and its template.
    fn find(&mut self, index: &Index, site: &str) -> Result<Option<(usize, Vec<u8>)>, Broken> {
        let hash = hash64(site.as_bytes(), 0);
        let hash_of = |number: &u32| index.sites[*number as usize].hash;
        let start = index.by_hash.partition_point(|number| hash_of(number) < hash);
        for number in index.by_hash[start..].iter().take_while(|number| hash_of(number) == hash) {
            // Two names can have the same hash, so the name decides.
            let (name, template) = self.head(&index.sites[*number as usize])?;
            if name == site {
                return Ok(Some((*number as usize, template)));
            }
        }
        Ok(None)
    }

    /// The pages of a site as they are stored.
    fn pages_bytes(&mut self, index: &Index, number: usize) -> Result<Vec<u8>, Broken> {
        let start = index.sites[number].pages_offset();
        let end = index.sites.get(number + 1).map_or(index.end, |next| next.offset);
        let mut bytes = self.read(start, end.saturating_sub(start))?;
        let checksum = bytes.split_off(bytes.len().saturating_sub(8));
        if checksum != pages_checksum(&index.sites[number], &bytes).to_le_bytes() {
            return Err(Broken::damaged("the pages of a site do not have their checksum"));
        }
        Ok(bytes)
    }

    /// The pages of a site.
    fn pages(&mut self, index: &Index, number: usize) -> Result<Vec<PageEvidence>, Broken> {
        let bytes = self.pages_bytes(index, number)?;
        let (mut rest, mut pages) = (&*bytes, Vec::new());
        while let Some(page) = PageEvidence::read(&mut rest)? {
            pages.push(page);
        }
        Ok(pages)
    }
}

fn pages_to_bytes(pages: &[PageEvidence]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for page in pages {
        // Writing to memory cannot fail.
        let _ = page.write(&mut bytes);
    }
    bytes
}

fn pages_checksum(site: &Site, bytes: &[u8]) -> u64 {
    hash64(bytes, site.hash)
}

fn index_checksum(index: &[u8], end: &[u8]) -> u64 {
    hash64(index, hash64(end, 0))
}

/// The file that replaces a store.
struct NewStoreFile {
    path: PathBuf,
    out: BufWriter<AtomicFile>,
    sites: Vec<Site>,
    offset: u64,
}

impl NewStoreFile {
    fn create(path: &Path) -> Result<NewStoreFile, Error> {
        let fail = |error| Error::write(path, error);
        let mut out = BufWriter::with_capacity(1 << 18, AtomicFile::create(path).map_err(fail)?);
        out.write_all(MARK).map_err(fail)?;
        Ok(NewStoreFile { path: path.to_path_buf(), out, sites: Vec::new(), offset: MARK.len() as u64 })
    }

    fn add(&mut self, name: &str, template: &[u8], pages: &[u8]) -> Result<(), Error> {
        let fail = |error| Error::write(&self.path, error);
        let head = [name.as_bytes(), template].concat();
        let too_large = |_| fail(io::ErrorKind::FileTooLarge.into());
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(too_large);
        let (name_length, template_length) = (length(name.as_bytes())?, length(template)?);
        let checksum = hash64(&head, u64::from(name_length));
        let hash = hash64(name.as_bytes(), 0);
        let site = Site { hash, offset: self.offset, name_length, template_length, checksum };
        for bytes in [&head, pages, &pages_checksum(&site, pages).to_le_bytes()] {
            self.out.write_all(bytes).map_err(fail)?;
            self.offset += bytes.len() as u64;
        }
        self.sites.push(site);
        Ok(())
    }

    fn finish(self) -> Result<(), Error> {
        let NewStoreFile { path, mut out, sites, offset } = self;
        let index: Vec<u8> = sites.iter().flat_map(|site| site.to_bytes()).collect();
        let mut end = [offset.to_le_bytes(), (sites.len() as u64).to_le_bytes()].concat();
        end.extend_from_slice(&index_checksum(&index, &end).to_le_bytes());
        end.extend_from_slice(MARK);
        let written = out.write_all(&index).and_then(|()| out.write_all(&end));
        let file = written.and_then(|()| out.into_inner().map_err(|error| error.into_error()));
        file.and_then(AtomicFile::commit).map_err(|error| Error::write(&path, error))
    }
}

/// Why work on a store stopped.
enum Broken {
    Io(io::Error),
    Damaged(String),
}

impl Broken {
    fn damaged(what: &str) -> Broken {
        Broken::Damaged(what.to_string())
    }

    fn at(self, path: &Path) -> Error {
        match self {
            Broken::Io(error) => Error::read(path, error),
            Broken::Damaged(what) => Error::new(ErrorKind::TemplateStore, DAMAGED).at(path).because(what),
        }
    }
}

const DAMAGED: &str = "this is not a template store of this version, or it is damaged: restore a copy of it, or delete it and learn again";

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Broken {
        Broken::Io(error)
    }
}

#[cfg(test)]
#[path = "template_store_tests.rs"]
mod tests;
