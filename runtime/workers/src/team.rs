//! The worker processes of this machine, from fork to end.

use crate::mailbox::Mailbox;
use crate::number::wanted;
use crate::shared::Shared;
use crate::{member, split};
use dpor_engine::runtime::Runtime;
use dpor_engine::searching::Engine;
use dpor_engine::{children, journal};
use dpor_explorer::worker::Frontier;

/// The worker processes of this machine.
pub struct Team {
    /// The memory that the processes share.
    pub shared: &'static Shared,
    /// The coordinator's mailbox.
    pub mailbox: Mailbox,
    processes: Vec<usize>,
    journals: Vec<usize>,
    /// For each process, whether it had ended when [`Team::look`] was called last.
    ended: Vec<bool>,
}

impl Team {
    /// Forks the workers; the first of rank 0 takes up what is `left`. `None`: the system does not allow so many.
    pub fn start(engine: &mut Engine, left: Option<&Frontier>) -> Option<Team> {
        let rt = engine.rt();
        let workers = wanted(rt) as usize;
        let cluster = rt.options.cluster;
        // In a cluster, rank 0 hands them out.
        let tickets = match cluster {
            None => rt.options.max_executions,
            Some(_) => 0,
        };
        let shared = Shared::map((workers, tickets), &rt.names, cluster)?;
        let mut team = Team {
            shared,
            mailbox: Mailbox::new(shared, shared.coordinator()),
            processes: Vec::new(),
            journals: Vec::new(),
            ended: vec![false; workers],
        };
        for rank in 0..workers {
            let Some(journal) = journal::map_another() else {
                break;
            };
            team.journals.push(journal);
            match split::split(shared, rank, journal) {
                0 => member::begin(engine, rank, shared, left),
                process if process > 0 => team.processes.push(process as usize),
                _ => break,
            }
        }
        if team.processes.len() == workers {
            return Some(team);
        }
        team.kill(engine.rt());
        None
    }

    /// Looks which processes have ended. To be called before the messages are read: what such a worker said is there
    /// then.
    pub fn look(&mut self) {
        for (ended, &process) in self.ended.iter_mut().zip(&self.processes) {
            *ended = children::has_ended(process);
        }
    }

    /// A worker that has ended and is not `excused`: its wait status. What it left is in this process's
    /// journal.
    pub fn dead(&self, is_excused: impl Fn(usize) -> bool) -> Option<i32> {
        let rank = (0..self.processes.len()).find(|&k| self.ended[k] && !is_excused(k))?;
        let status = children::wait(self.processes[rank]);
        journal::copy_from(self.journals[rank]);
        Some(status)
    }

    /// Ends the worker processes.
    pub fn kill(self, rt: &mut Runtime) {
        self.processes.iter().copied().for_each(children::kill);
        self.dissolve(rt);
    }

    /// Waits for the end of the workers that have given account. False: something else ended one.
    pub fn wait(&self) -> bool {
        let statuses = self
            .processes
            .iter()
            .map(|&process| children::wait(process));
        statuses.fold(0, |all, status| all | status) == 0
    }

    /// Gives back the memory that the workers shared, once they are gone.
    pub fn dissolve(self, rt: &mut Runtime) {
        dpor_engine::worker_process::know(rt, &self.shared.names());
        self.journals.into_iter().for_each(journal::unmap_another);
        // SAFETY: the processes that used the memory are gone, and this one uses it no more.
        unsafe { self.shared.unmap() };
    }
}
