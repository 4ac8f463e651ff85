//! What keeps a small input from filling the disk: faults that name no page are counted instead of written after some hundred in a row, and
//! the rows of a file may have only so many times its bytes.
//!
//! Takes rows in the order of the input, so its decisions do not depend on the number of threads. Its state is kept with the chunks, so a
//! resumed run decides like one that was not interrupted.

use crate::crawl::counts::tally::PageTally;
use crate::crawl::rows::output_row::CountedRow;
use crate::crawl::rows::row_columns::{PageFields, RowColumns, RowValues};
use crate::error::{Error, ErrorKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Faults in a row that are written one by one, if nothing is known of their pages.
const MAX_FAULTS: u64 = 300;
/// Bytes of rows that any file may give, however small it is: those of one large page.
const FREE_BYTES: u64 = 64 << 20;

/// What is known of the rows so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RowLimits {
    /// The file that the last row came from, and the bytes of its rows.
    file: String,
    bytes: u64,
    /// Faults in a row of which no page is known.
    faults: u64,
    /// Those that were not written, by kind, and where the last of them is.
    left_out: BTreeMap<String, u64>,
    last: String,
}

impl RowLimits {
    /// The row that stands for those left out, if the next row ends them. Without a next row the input ends.
    pub(crate) fn left_out_row(&mut self, next: Option<&CountedRow>, columns: &RowColumns) -> Option<Vec<u8>> {
        let goes_on = next.is_some_and(|row| match &row.location {
            Some(location) => (row.json.is_empty() || row.names_no_page) && is_file(&self.file, location.file()),
            None => false,
        });
        if goes_on || self.left_out.is_empty() {
            return None;
        }
        self.faults = 0;
        let kinds = std::mem::take(&mut self.left_out);
        let count: u64 = kinds.values().sum();
        let listed: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let most = kinds.iter().max_by_key(|(_, count)| **count).map(|(kind, _)| kind.clone());
        let message = format!(
            "{count} more in a row could not be read, and nothing is known of their pages ({}); the last: {}",
            listed.join(", "),
            self.last
        );
        let tally = PageTally { address: self.file.clone(), error: most, ..PageTally::default() };
        let (id, url, page, carried) = (None, "", PageFields::default(), &[][..]);
        Some(columns.line(&RowValues { id, url, tally: &tally, page, error_message: Some(&message), carried }))
    }

    /// Counts a row. Returns whether it is written.
    ///
    /// # Errors
    /// If the rows of its file have more than `ratio` times its bytes, which `size` gives; 0 stands for any number of times.
    pub(crate) fn count(&mut self, row: &CountedRow, ratio: u64, size: impl Fn(&Path) -> u64) -> Result<bool, Error> {
        let Some(location) = &row.location else { return Ok(true) };
        let file = location.file();
        if !is_file(&self.file, file) {
            *self = RowLimits { file: file.to_string_lossy().into_owned(), ..RowLimits::default() };
        }
        if row.names_no_page {
            self.faults += 1;
            if self.faults > MAX_FAULTS {
                *self.left_out.entry(row.tally.error.clone().unwrap_or_default()).or_default() += 1;
                self.last = location.to_string();
                return Ok(false);
            }
        } else if !row.json.is_empty() {
            self.faults = 0;
        }
        self.bytes += row.json.len() as u64;
        if ratio > 0 && self.bytes > FREE_BYTES {
            let size = size(file);
            if self.bytes > FREE_BYTES.saturating_add(size.saturating_mul(ratio)) {
                let message = format!(
                    "its {size} bytes have given {} bytes of rows, more than {ratio} times as many, so the run was stopped; if that is \
                     what you want, resume it with another max_output_ratio (0 for no limit)",
                    self.bytes
                );
                return Err(Error::new(ErrorKind::TooMuchOutput, message).at(file));
            }
        }
        Ok(true)
    }
}

fn is_file(name: &str, file: &Path) -> bool {
    file.to_string_lossy() == name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::rows::row_columns::InputColumns;
    use crate::location::{Location, Position};

    fn row(file: &str, line: u64, names_no_page: bool) -> CountedRow {
        let error = names_no_page.then(|| "bad_json".to_string());
        CountedRow {
            json: b"{}\n".to_vec(),
            tally: PageTally { error, ..PageTally::default() },
            location: Some(Location::new(Path::new(file).into(), Position::Line(line))),
            names_no_page,
            is_page: true,
        }
    }

    /// What is written of rows: `.` for a row, and the text of a row that stands for others.
    fn written(rows: &[CountedRow]) -> String {
        let columns = RowColumns::new(&[], false, InputColumns::default());
        let (mut limits, mut out) = (RowLimits::default(), String::new());
        let mut add = |limits: &mut RowLimits, next: Option<&CountedRow>| {
            if let Some(line) = limits.left_out_row(next, &columns) {
                let row: serde_json::Value = serde_json::from_slice(&line).unwrap();
                out += &format!("[{}: {}]", row["error"].as_str().unwrap(), row["error_message"].as_str().unwrap());
            }
            if let Some(row) = next
                && limits.count(row, 0, |_| 0).unwrap()
            {
                out.push('.');
            }
            // What is kept with a chunk is enough to go on.
            *limits = serde_json::from_slice(&serde_json::to_vec(limits).unwrap()).unwrap();
        };
        rows.iter().for_each(|row| add(&mut limits, Some(row)));
        add(&mut limits, None);
        out
    }

    #[test]
    fn many_faults_in_a_row_become_one_row_with_their_number() {
        let faults = |file: &'static str, count: u64| (1..=count).map(move |line| row(file, line, true));
        let page = |file: &str| row(file, 9999, false);
        let shown = |count: usize| ".".repeat(count);
        let most = MAX_FAULTS as usize;
        assert_eq!(written(&faults("a", MAX_FAULTS).collect::<Vec<_>>()), shown(most));
        let summary = |count: u64, last: &str| {
            let known = "could not be read, and nothing is known of their pages";
            format!("[bad_json: {count} more in a row {known} ({count} bad_json); the last: {last}]")
        };
        let rows: Vec<_> = faults("a", 1000).chain([page("a")]).chain(faults("a", 200)).collect();
        assert_eq!(written(&rows), format!("{}{}.{}", shown(most), summary(700, "a line 1000"), shown(200)));
        // Another file starts anew; what is skipped does not.
        let mut skipped = row("b", 150, false);
        skipped.json.clear();
        let rows: Vec<_> = faults("a", 301).chain(faults("b", 200)).chain([skipped]).chain(faults("b", 200)).collect();
        let expected =
            format!("{}{}{}{}", shown(most), summary(1, "a line 301"), shown(most + 1), summary(100, "b line 200"));
        assert_eq!(written(&rows), expected);
    }

    #[test]
    fn rows_of_a_file_may_have_only_so_many_times_its_bytes() {
        let large = CountedRow { json: vec![b' '; 20 << 20], ..row("bomb", 1, false) };
        let rows_of = |ratio: u64, size: u64| {
            let mut limits = RowLimits::default();
            (0..20).take_while(|_| limits.count(&large, ratio, |_| size).is_ok()).count()
        };
        assert_eq!(rows_of(1000, 3000), 3);
        assert_eq!(rows_of(1000, 1 << 20), 20);
        assert_eq!(rows_of(0, 3000), 20);
        let mut limits = RowLimits::default();
        let error = (0..20).find_map(|_| limits.count(&large, 1000, |_| 3000).err()).unwrap();
        assert!(error.to_string().starts_with("bomb: its 3000 bytes have given 83886080 bytes of rows"), "{error}");
    }
}
