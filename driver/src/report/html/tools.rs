//! What the script brings: a field for search, buttons for zoom, and the keys. Hidden without it.

use maud::{html, Markup};

/// The tools of the page.
pub fn markup() -> Markup {
    html! {
        div.tools hidden {
            div.search role="search" {
                label for="search" { "Find steps" }
                input #search type="search" autocomplete="off" spellcheck="false"
                    placeholder="function, file, variable, thread" aria-describedby="found";
                button type="button" { "next" }
                output #found for="search" role="status" {}
            }
            div.zoom role="group" aria-label="Size of the time lines" {
                button type="button" data-zoom="-1" aria-label="smaller" { "−" }
                output { "100 %" }
                button type="button" data-zoom="1" aria-label="larger" { "+" }
                button type="button" data-zoom="0" { "reset" }
            }
            details.keys {
                summary { "keys" }
                dl {
                    div { dt { kbd { "↓" } " " kbd { "j" } } dd { "next event" } }
                    div { dt { kbd { "↑" } " " kbd { "k" } } dd { "previous event" } }
                    div { dt { kbd { "Home" } " " kbd { "End" } } dd { "first and last event" } }
                    div { dt { kbd { "n" } " " kbd { "p" } } dd { "next and previous finding" } }
                    div { dt { kbd { "/" } } dd { "find steps" } }
                    div { dt { kbd { "Enter" } " " kbd { "Shift" } "+" kbd { "Enter" } } dd { "next and previous step found" } }
                    div { dt { kbd { "+" } " " kbd { "-" } " " kbd { "0" } } dd { "larger, smaller, as it was" } }
                }
            }
        }
    }
}
