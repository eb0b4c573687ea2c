// beat.ts - a worker that strikes three times a second. Browsers slow the timers of a page that is hidden to one a second, too
// slow for a lease; those of a worker they do not.
setInterval(() => postMessage(0), 300);
