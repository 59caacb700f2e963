//! Programs with their expected verdicts, checked end to end.
