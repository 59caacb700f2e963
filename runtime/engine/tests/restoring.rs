//! What a restore weighs when it is decided where checkpoints are taken.

use dpor_engine::restoring::Restoring;

#[test]
fn a_restore_weighs_what_it_copied_while_checkpoints_spare_it() {
    let mut restoring = Restoring::default();
    restoring.copied(1023, true);
    assert_eq!(restoring.weighs(), 0, "little");
    restoring.copied(8000, true);
    assert_eq!(restoring.weighs(), 8000);
    // A checkpoint whose restore copies as much spares nothing.
    let weights = [8000; 3].map(|pages| {
        restoring.copied(pages, false);
        restoring.weighs()
    });
    assert_eq!(weights, [4000, 2000, 1000]);
    restoring.copied(3, false);
    restoring.copied(8000, true);
    assert_eq!(restoring.weighs(), 8000);
}
