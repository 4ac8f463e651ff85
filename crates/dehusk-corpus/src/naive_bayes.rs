//! Multinomial naive Bayes on terms: the class of a document.
//!
//! Written by hand: the naive Bayes of linfa takes dense arrays only, and 10,000 documents of 50,000 terms would be 4 GB.

use crate::error::Error;
use crate::text::terms::{Bag, TermTable};
use dehusk::model::{Array, ModelFile, Schema};
use std::collections::HashMap;

/// The kind of the model file.
const KIND: &str = "topics";
/// Raised whenever terms are made or counted differently.
const VERSION: u32 = 1;

fn schema() -> Schema {
    Schema::new("terms", VERSION, ["term"])
}

/// Counts of terms by class, and what follows from them.
///
/// With `N` documents, `n_c` of class `c`, `t_cw` occurrences of term `w` in them, `t_c` of all terms, and `V` different terms, the
/// score of class `c` for a document is `ln(n_c / N) + Σ_w tf_w · ln((t_cw + 1) / (t_c + V))`. Terms that training has not seen do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct NaiveBayes {
    labels: Vec<String>,
    /// Documents of each class.
    documents: Vec<u32>,
    /// Terms in alphabetical order.
    terms: Vec<String>,
    /// The number of `counts` before each term, and at the end of all.
    starts: Vec<u32>,
    /// For each term the classes it is in, ascending, and how often.
    counts: Vec<(u32, u32)>,
    numbers: HashMap<String, u32>,
    /// Occurrences of all terms in each class.
    totals: Vec<u64>,
    card: String,
}

/// The class of a document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The number of the most probable class in [`NaiveBayes::labels`]; the first of equals.
    pub class: usize,
    /// The probability of each class. Naive Bayes takes related words for independent evidence, so the probabilities of long documents are
    /// close to 0 or 1.
    pub probabilities: Vec<f64>,
}

impl NaiveBayes {
    /// Learns from documents with labels; documents without a label do not count.
    ///
    /// # Errors
    /// If there are fewer than two labels.
    ///
    /// # Panics
    /// If there are not as many labels as documents.
    pub fn fit<L: AsRef<str>>(table: &TermTable, labels: &[Option<L>]) -> Result<NaiveBayes, Error> {
        assert_eq!(table.len(), labels.len(), "a label for each document, or none");
        let mut names: Vec<&str> = labels.iter().flatten().map(AsRef::as_ref).collect();
        names.sort_unstable();
        names.dedup();
        if names.len() < 2 {
            return Err(Error::TooFewClasses(names.first().map(|name| name.to_string())));
        }
        // Every label is among the names.
        let class_of = |label: &L| names.partition_point(|name| *name < label.as_ref()) as u32;
        let mut documents = vec![0; names.len()];
        let mut counts: Vec<(u32, u32, u32)> = Vec::new();
        let mut sums: HashMap<(u32, u32), u32> = HashMap::default();
        for (document, label) in labels.iter().enumerate() {
            let Some(class) = label.as_ref().map(class_of) else { continue };
            documents[class as usize] += 1;
            for entry in table.row(document) {
                let sum = sums.entry((entry.term, class)).or_default();
                *sum = sum.saturating_add(entry.count);
            }
        }
        let known = table.terms();
        #[allow(clippy::iter_over_hash_type, reason = "sorted below")]
        for ((term, class), count) in sums {
            counts.push((term, class, count));
        }
        counts.sort_unstable_by_key(|(term, class, _)| (known[*term as usize], *class));
        let mut model = NaiveBayes {
            labels: names.iter().map(|name| name.to_string()).collect(),
            documents,
            terms: Vec::new(),
            starts: vec![0],
            counts: Vec::with_capacity(counts.len()),
            numbers: HashMap::default(),
            totals: Vec::new(),
            card: String::new(),
        };
        for of_term in counts.chunk_by(|one, two| one.0 == two.0) {
            model.terms.push(known[of_term[0].0 as usize].to_string());
            model.counts.extend(of_term.iter().map(|(_, class, count)| (*class, *count)));
            model.starts.push(model.counts.len() as u32);
        }
        model.index();
        Ok(model)
    }

    /// Learns from texts and their labels.
    ///
    /// # Errors
    /// If there are fewer than two labels.
    pub fn of_texts<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<NaiveBayes, Error> {
        let (mut table, mut labels) = (TermTable::new(), Vec::new());
        for (text, label) in texts {
            table.add(Bag::of(text));
            labels.push(Some(label));
        }
        NaiveBayes::fit(&table, &labels)
    }

    /// Works out what is not in the file.
    fn index(&mut self) {
        self.numbers = (0..).zip(&self.terms).map(|(number, term)| (term.clone(), number)).collect();
        self.totals = vec![0; self.labels.len()];
        self.counts.iter().for_each(|(class, count)| self.totals[*class as usize] += u64::from(*count));
    }

    /// The labels, in alphabetical order.
    #[must_use]
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// The number of different terms.
    #[must_use]
    pub fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// The number of documents it learned from.
    #[must_use]
    pub fn document_count(&self) -> u64 {
        self.documents.iter().map(|count| u64::from(*count)).sum()
    }

    /// What the model was trained on and how well it does.
    #[must_use]
    pub fn card(&self) -> &str {
        &self.card
    }

    /// With a card, which goes into the file.
    #[must_use]
    pub fn with_card(mut self, card: impl Into<String>) -> NaiveBayes {
        self.card = card.into();
        self
    }

    /// The class of a text.
    #[must_use]
    pub fn predict(&self, text: &str) -> Prediction {
        self.predict_bag(&Bag::of(text))
    }

    /// The class of a bag of terms.
    #[must_use]
    pub fn predict_bag(&self, bag: &Bag) -> Prediction {
        let known = bag.iter().filter_map(|(term, count)| Some((*self.numbers.get(term)?, count)));
        self.predict_terms(known)
    }

    /// The class of a document of a table.
    #[must_use]
    pub fn predict_row(&self, table: &TermTable, terms: &[&str], document: usize) -> Prediction {
        let row = table.row(document).iter();
        let mut known: Vec<(u32, u32)> =
            row.filter_map(|entry| Some((*self.numbers.get(terms[entry.term as usize])?, entry.count))).collect();
        // The order of sums, and so their last digits, must not depend on the table.
        known.sort_unstable();
        self.predict_terms(known.into_iter())
    }

    fn predict_terms(&self, terms: impl Iterator<Item = (u32, u32)>) -> Prediction {
        let all = self.document_count() as f64;
        let bottom: Vec<f64> = self.totals.iter().map(|total| (*total as f64 + self.terms.len() as f64).ln()).collect();
        let mut scores: Vec<f64> = self.documents.iter().map(|count| (f64::from(*count) / all).ln()).collect();
        for (term, count) in terms {
            let count = f64::from(count);
            // ln(0 + 1) is 0 for the classes without the term.
            scores.iter_mut().zip(&bottom).for_each(|(score, bottom)| *score -= count * bottom);
            let of_term = self.starts[term as usize] as usize..self.starts[term as usize + 1] as usize;
            for (class, of_class) in &self.counts[of_term] {
                scores[*class as usize] += count * (f64::from(*of_class) + 1.0).ln();
            }
        }
        let mut class = 0;
        for (other, score) in scores.iter().enumerate() {
            if *score > scores[class] {
                class = other;
            }
        }
        // Relative to the best score: of a long document, all scores are so low that their exponentials would be 0.
        let best = scores[class];
        let sum: f64 = scores.iter().map(|score| (score - best).exp()).sum();
        Prediction { class, probabilities: scores.iter().map(|score| (score - best).exp() / sum).collect() }
    }

    /// The bytes of the model file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut file = ModelFile::new(KIND, schema(), self.card.clone());
        let mut texts = |name: &str, texts: &[String]| {
            let mut end = 0;
            let ends = texts.iter().map(|text| {
                end += text.len() as u32;
                end
            });
            file.set(format!("{name}.ends"), Array::U32(ends.collect()));
            file.set(format!("{name}.bytes"), Array::U8(texts.concat().into_bytes()));
        };
        texts("labels", &self.labels);
        texts("terms", &self.terms);
        file.set("documents", Array::U32(self.documents.clone()));
        file.set("starts", Array::U32(self.starts.clone()));
        file.set("classes", Array::U32(self.counts.iter().map(|(class, _)| *class).collect()));
        file.set("counts", Array::U32(self.counts.iter().map(|(_, count)| *count).collect()));
        file.to_bytes()
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// If it is damaged, of another version, or another kind of file.
    pub fn from_bytes(bytes: &[u8]) -> Result<NaiveBayes, Error> {
        let file = ModelFile::from_bytes(bytes)?;
        file.expect(KIND, &schema())?;
        let (classes, counts) = (file.u32s("classes")?, file.u32s("counts")?);
        let mut model = NaiveBayes {
            labels: texts(&file, "labels")?,
            documents: file.u32s("documents")?.to_vec(),
            terms: texts(&file, "terms")?,
            starts: file.u32s("starts")?.to_vec(),
            counts: classes.iter().copied().zip(counts.iter().copied()).collect(),
            numbers: HashMap::default(),
            totals: Vec::new(),
            card: file.card.clone(),
        };
        let is_sound = model.labels.len() >= 2
            && model.documents.len() == model.labels.len()
            && model.documents.iter().all(|count| *count > 0)
            && classes.len() == counts.len()
            && classes.iter().all(|class| (*class as usize) < model.labels.len())
            && model.starts.len() == model.terms.len() + 1
            && model.starts.first() == Some(&0)
            && model.starts.is_sorted()
            && model.starts.last().is_some_and(|last| *last as usize == counts.len());
        if !is_sound {
            return Err(Error::Model("damaged model file: its arrays do not fit together".into()));
        }
        model.index();
        Ok(model)
    }
}

/// Texts that were written one after the other.
fn texts(file: &ModelFile, name: &str) -> Result<Vec<String>, Error> {
    let damaged = || Error::Model(format!("damaged model file: `{name}` are not texts"));
    let bytes = file.u8s(&format!("{name}.bytes"))?;
    let mut start = 0;
    let mut texts = Vec::new();
    for end in file.u32s(&format!("{name}.ends"))? {
        let text = bytes.get(start..*end as usize).ok_or_else(damaged)?;
        texts.push(String::from_utf8(text.to_vec()).map_err(|_| damaged())?);
        start = *end as usize;
    }
    if start == bytes.len() { Ok(texts) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> NaiveBayes {
        NaiveBayes::of_texts([
            ("chinese beijing chinese", "china"),
            ("chinese chinese shanghai", "china"),
            ("chinese macao", "china"),
            ("tokyo japan chinese", "japan"),
        ])
        .unwrap()
        .with_card("four documents")
    }

    /// The worked example of Manning, Raghavan, Schütze, Introduction to Information Retrieval, 13.1.
    #[test]
    fn probabilities_are_those_computed_by_hand() {
        let prediction = model().predict("Chinese Chinese Chinese Tokyo Japan unseen");
        let china = 0.75 * (3.0f64 / 7.0).powi(3) / 14.0 / 14.0;
        let japan = 0.25 * (2.0f64 / 9.0).powi(5);
        assert_eq!(prediction.class, 0);
        assert!((prediction.probabilities[0] - china / (china + japan)).abs() < 1e-12);
        assert!((prediction.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // Nothing known: the shares of the classes.
        assert!((model().predict("").probabilities[0] - 0.75).abs() < 1e-12);
    }

    #[test]
    fn bags_and_rows_give_the_same() {
        let table = TermTable::of_texts(["japan tokyo other", "macao chinese"]);
        let model = model();
        assert_eq!(model.predict_row(&table, &table.terms(), 0), model.predict("japan tokyo other"));
        assert_eq!(model.predict_row(&table, &table.terms(), 1).class, 0);
    }

    #[test]
    fn one_class_is_not_enough() {
        let one = NaiveBayes::of_texts([("a", "x"), ("b", "x")]);
        assert_eq!(one, Err(Error::TooFewClasses(Some("x".into()))));
        assert_eq!(NaiveBayes::fit(&TermTable::of_texts(["a"]), &[None::<&str>]), Err(Error::TooFewClasses(None)));
    }

    #[test]
    fn a_file_reads_back_and_damage_is_an_error() {
        let bytes = model().to_bytes();
        assert_eq!(NaiveBayes::from_bytes(&bytes).unwrap(), model());
        for length in 0..bytes.len() {
            assert!(NaiveBayes::from_bytes(&bytes[..length]).is_err(), "truncated to {length}");
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            assert!(NaiveBayes::from_bytes(&damaged).is_err(), "flipped at {at}");
        }
        let other = ModelFile::new("block", schema(), "").to_bytes();
        let message = NaiveBayes::from_bytes(&other).unwrap_err().to_string();
        assert!(message.contains("`block`") && message.contains("`topics`"), "{message}");
        assert!(NaiveBayes::from_bytes(b"<html>").unwrap_err().to_string().contains("DEHUSKML"));
    }

    /// A file with a correct checksum and wrong contents must not be trusted, either.
    #[test]
    fn arrays_that_do_not_fit_are_an_error() {
        let sound = ModelFile::from_bytes(&model().to_bytes()).unwrap();
        let changes = [
            ("starts", Array::U32(vec![0, 99])),
            ("classes", Array::U32(vec![7; 20])),
            ("counts", Array::U32(vec![1])),
            ("documents", Array::U32(vec![0, 0])),
            ("labels.ends", Array::U32(vec![4, 2])),
            ("terms.bytes", Array::U8(vec![255; 9])),
        ];
        for (name, array) in changes {
            let mut file = sound.clone();
            file.set(name, array);
            assert!(NaiveBayes::from_bytes(&file.to_bytes()).is_err(), "{name}");
        }
    }
}
