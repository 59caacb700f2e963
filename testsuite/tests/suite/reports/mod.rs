//! Reports in the formats of other tools, of real programs: each is held against the format's own
//! schema or reader, and against what the program's text says must be in it.

mod browser;
mod doctor;
mod dot;
mod files;
mod full;
mod html;
mod json;
mod junit;
mod made;
mod page;
mod programs;
mod sarif;
mod scenario;
mod share;
mod show;
