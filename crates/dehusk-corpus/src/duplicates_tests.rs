use super::*;

/// Signatures of small numbers, so that many are shared; some are shorter than others.
fn made_signatures(count: usize, numbers: u64, hashes: usize, seed: u64) -> Vec<Signature> {
    let mut state = seed;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut signatures = Vec::new();
    for _ in 0..count {
        let length = if random(4) == 0 { random(hashes as u64 + 1) as usize } else { hashes };
        let mut signature: Vec<u64> = Vec::new();
        while signature.len() < length {
            let number = random(numbers);
            if !signature.contains(&number) {
                signature.push(number);
            }
        }
        signature.sort_unstable();
        signatures.push(Signature(signature));
    }
    signatures
}

fn by_all_pairs(signatures: &[Signature], options: DuplicateOptions) -> Vec<Pair> {
    let signer = Signer::new(options);
    let mut pairs = Vec::new();
    for a in 0..signatures.len() {
        for b in a + 1..signatures.len() {
            if let Some(shared) = signer.compare(&signatures[a], &signatures[b]) {
                pairs.push(Pair { a: a as u32, b: b as u32, shared });
            }
        }
    }
    pairs
}

fn found(signatures: &[Signature], options: DuplicateOptions) -> (Vec<Pair>, Vec<u32>) {
    let mut finder = DuplicateFinder::new(options, &std::env::temp_dir()).unwrap();
    signatures.iter().for_each(|signature| finder.add(signature).unwrap());
    let mut duplicates = finder.finish().unwrap();
    let pairs = duplicates.pairs().collect::<io::Result<_>>().unwrap();
    (pairs, duplicates.clusters())
}

/// The first document of each document's cluster, by spreading the smallest number along the pairs.
fn clusters_of(pairs: &[Pair], documents: usize) -> Vec<u32> {
    let mut first: Vec<u32> = (0..documents as u32).collect();
    loop {
        let before = first.clone();
        for pair in pairs {
            let smallest = first[pair.a as usize].min(first[pair.b as usize]);
            first[pair.a as usize] = smallest;
            first[pair.b as usize] = smallest;
        }
        if first == before {
            return first;
        }
    }
}

#[test]
fn pairs_are_those_of_comparing_all() {
    let options = DuplicateOptions::default();
    for (hashes, shared) in [(8, 4), (8, 1), (8, 8), (5, 3), (1, 1)] {
        for seed in 0..6 {
            // Lists stay short, so that every pair is listed.
            let signatures = made_signatures(120, 30, hashes, seed);
            let options = options.with_hashes(hashes, shared);
            let expected = by_all_pairs(&signatures, options);
            let (pairs, clusters) = found(&signatures, options);
            assert_eq!(pairs, expected, "{shared} of {hashes}, seed {seed}");
            assert_eq!(clusters, clusters_of(&expected, signatures.len()));
        }
    }
}

#[test]
fn long_lists_give_true_pairs_and_complete_clusters() {
    for (numbers, seed) in [(12, 1), (14, 2), (22, 3), (9, 4)] {
        let options = DuplicateOptions::default();
        let signatures = made_signatures(2000, numbers, 8, seed);
        let expected = by_all_pairs(&signatures, options);
        let (pairs, clusters) = found(&signatures, options);
        assert!(pairs.iter().all(|pair| expected.binary_search(pair).is_ok()), "{numbers} numbers");
        assert!(pairs.windows(2).all(|two| two[0] < two[1]), "{numbers} numbers: a pair comes twice");
        assert_eq!(clusters, clusters_of(&expected, signatures.len()), "{numbers} numbers");
        assert_eq!(clusters, clusters_of(&pairs, signatures.len()), "{numbers} numbers: a document is in no pair");
    }
}

#[test]
fn little_memory_means_more_passes_and_the_same_pairs() {
    let signatures = made_signatures(3000, 4000, 8, 7);
    let options = DuplicateOptions::default();
    assert_eq!(parts(&options, 3000), 1);
    let little = options.with_memory(1 << 16);
    assert!(parts(&little, 3000) > 5);
    assert_eq!(found(&signatures, little), found(&signatures, options));
}

#[test]
fn the_same_page_many_times_costs_no_pairs_of_all() {
    let text = "the quick brown fox jumps over the lazy dog and runs far away from the old house";
    let texts = vec![text; 5000];
    let pairs = find_pairs(&texts, DuplicateOptions::default()).unwrap();
    assert_eq!(pairs.len(), 4999);
    assert!(pairs.iter().all(|pair| pair.a == 0 && pair.shared == 8));
}

#[test]
fn short_documents_must_share_the_same_fraction() {
    let options = DuplicateOptions::default();
    let texts = ["Opening hours", "opening hours!", "Opening hours today", "one two three four five six seven", "", ""];
    let pairs = find_pairs(&texts, options).unwrap();
    assert_eq!(pairs, [Pair { a: 0, b: 1, shared: 1 }]);
    // Seven words have two hashes, of which one is enough.
    let texts = ["one two three four five six seven", "one two three four five six eight"];
    assert_eq!(find_pairs(&texts, options).unwrap(), [Pair { a: 0, b: 1, shared: 1 }]);
}

#[test]
fn texts_in_scripts_without_spaces_are_compared() {
    let one = "東京は日本の首都であり、世界最大級の都市圏を形成している。";
    let two = "大阪は西日本最大の都市であり、古くから商業の中心地として栄えた。";
    let texts = [one, two, one];
    assert_eq!(find_pairs(&texts, DuplicateOptions::default()).unwrap(), [Pair { a: 0, b: 2, shared: 8 }]);
}
