use super::*;
use tempfile::TempDir;

const PLAN: &str = "the plan\n";

fn output() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.jsonl");
    (folder, output)
}

fn open(output: &Path, plan: &str, resume: bool) -> Result<RunState, Error> {
    RunState::open(output, plan, "", resume)
}

fn kind(outcome: Result<RunState, Error>) -> ErrorKind {
    outcome.map(drop).unwrap_err().kind()
}

/// Damages a file.
type Damage<'a> = &'a dyn Fn(&Path);

/// Writes a page for each number. A page that is divisible by ten is skipped, and has no line.
fn write_pages(state: &RunState, numbers: std::ops::Range<u64>) {
    let mut writer = ChunkWriter::new(state).unwrap();
    for number in numbers {
        let is_page = number % 10 > 0;
        let line = if is_page { format!("{{\"number\":{number}}}\n") } else { String::new() };
        let count = |tally: &mut Tally| match is_page {
            true => tally.pages += 1,
            false => tally.skipped += 1,
        };
        writer.add(line.as_bytes(), count).unwrap();
    }
    writer.finish().unwrap();
}

fn text(state: &RunState) -> String {
    state.chunks().iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// The text of a run that nothing interrupted.
fn whole_text(count: u64) -> String {
    let (_folder, output) = output();
    let state = open(&output, PLAN, false).unwrap();
    write_pages(&state, 0..count);
    text(&state)
}

#[test]
fn a_resumed_run_counts_what_is_finished_and_adds_the_rest() {
    let (folder, output) = output();
    let state = open(&output, PLAN, false).unwrap();
    write_pages(&state, 0..1500);
    assert_eq!((state.chunks().len(), state.pages_done().unwrap()), (2, 1500));
    drop(state);
    let state = open(&output, PLAN, true).unwrap();
    write_pages(&state, state.pages_done().unwrap()..2600);
    assert_eq!((state.chunks().len(), state.pages_done().unwrap()), (4, 2600));
    let tally = state.tally_of_chunks(|_, _| Ok(())).unwrap();
    assert_eq!((tally.pages, tally.skipped), (2340, 260));
    state.check_chunks().unwrap();
    assert_eq!(text(&state), whole_text(2600));
    state.remove().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_damaged_chunk_is_made_again_with_all_after_it() {
    let cut = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
    };
    let change = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        bytes[3] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    // The length stays the same, so only the checksum tells.
    let change_checksum = |path: &Path| {
        let mut contents: Contents = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        contents.checksum ^= 1;
        fs::write(path, serde_json::to_vec(&contents).unwrap()).unwrap();
    };
    let remove = |path: &Path| fs::remove_file(path).unwrap();
    let damages: [(&str, Damage<'_>); 5] = [
        ("chunk-00000001.jsonl", &cut),
        ("chunk-00000001.jsonl", &change),
        ("chunk-00000001.contents.json", &change_checksum),
        ("chunk-00000001.contents.json", &cut),
        ("chunk-00000001.contents.json", &remove),
    ];
    for (name, damage) in damages {
        let (_folder, output) = output();
        let state = open(&output, PLAN, false).unwrap();
        write_pages(&state, 0..2500);
        damage(&state.folder().join(name));
        let error = state.check_chunks().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Damaged | ErrorKind::CannotRead), "{error}");
        drop(state);
        let state = open(&output, PLAN, true).unwrap();
        assert_eq!((state.chunks().len(), state.pages_done().unwrap()), (1, 1000), "{name}");
        write_pages(&state, 1000..2500);
        state.check_chunks().unwrap();
        assert_eq!(text(&state), whole_text(2500), "{name}");
    }
}

#[test]
fn a_run_is_resumed_only_if_asked_and_with_the_same_options() {
    let (_folder, output) = output();
    let state = open(&output, PLAN, false).unwrap();
    write_pages(&state, 0..5);
    assert_eq!(kind(open(&output, PLAN, true)), ErrorKind::InUse);
    drop(state);
    assert_eq!(kind(open(&output, PLAN, false)), ErrorKind::UnfinishedRun);
    let error = RunState::open(&output, "another plan\n", " and the same data", true).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DifferentRun);
    assert!(error.to_string().contains("and the same data"), "{error}");
    let state = open(&output, PLAN, true).unwrap();
    assert_eq!(state.pages_done().unwrap(), 5);
    assert_eq!(state.learned().unwrap(), None);
    state.mark_learned("a store").unwrap();
    assert_eq!(state.learned().unwrap().as_deref(), Some("a store"));
    // Without its plan the rest is not a run, and is deleted.
    fs::remove_file(state.folder().join("plan.json")).unwrap();
    drop(state);
    let state = open(&output, "another plan\n", false).unwrap();
    assert_eq!((state.pages_done().unwrap(), state.learned().unwrap()), (0, None));
}

#[test]
fn a_chunk_that_was_not_finished_leaves_nothing() {
    let (_folder, output) = output();
    let state = open(&output, PLAN, false).unwrap();
    let mut writer = ChunkWriter::new(&state).unwrap();
    writer.add(b"{}\n", |tally| tally.pages += 1).unwrap();
    drop(writer);
    assert_eq!((state.chunks().len(), state.pages_done().unwrap()), (0, 0));
    // A large row ends its chunk.
    let mut writer = ChunkWriter::new(&state).unwrap();
    let row = vec![b' '; usize::try_from(CHUNK_BYTES).unwrap()];
    assert_eq!(writer.add(&row, |tally| tally.pages += 1).unwrap().map(|tally| tally.pages), Some(1));
    assert_eq!(writer.finish().unwrap(), None);
    assert_eq!(state.chunks().len(), 1);
}

#[test]
fn a_plan_that_cannot_be_read_costs_no_finished_part() {
    let (_folder, output) = output();
    let state = open(&output, PLAN, false).unwrap();
    write_pages(&state, 0..20);
    let (folder, written) = (state.folder().to_path_buf(), text(&state));
    drop(state);
    fs::write(folder.join("plan.json"), b"\xff\xfe").unwrap();
    assert_eq!(kind(open(&output, PLAN, true)), ErrorKind::CannotRead);
    fs::write(folder.join("plan.json"), PLAN).unwrap();
    assert_eq!(text(&open(&output, PLAN, true).unwrap()), written);
}
