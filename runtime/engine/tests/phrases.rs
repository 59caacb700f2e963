//! Whatever the runtime calls a step, reports have words for it that people read.

use dpor_engine::object;
use dpor_explorer::kinds;
use dpor_model::ObjectId;
use dpor_report::phrases;

#[test]
fn every_operation_has_words() {
    let of_objects = (0..=u8::MAX).flat_map(|tag| {
        let object = ObjectId(u64::from(tag) << 56 | 1);
        [true, false].map(|writes| object::event(object, writes))
    });
    let of_objects: Vec<&str> = of_objects.flatten().collect();
    // As many as the kinds of operations (`dpor_model::Kind`), and words of the objects that are the runtime's own.
    assert!(kinds::names().count() > 50 && of_objects.len() > 10);
    let others = ["exit-call", "thread-join"];
    for word in kinds::names().chain(of_objects).chain(others) {
        assert!(phrases::has(word), "{word} has no words in phrases.rs");
    }
}
