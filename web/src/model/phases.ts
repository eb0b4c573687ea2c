// phases.ts - what a program does: words for the numbers of the interface `program`.
export const PHASES = ['empty', 'ready', 'running', 'paused', 'done', 'failed', 'stopped', 'leaving', 'gone', 'arriving'];
