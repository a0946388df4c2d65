/** Lists and fast answers that run at the same time. They share one process of the CLI, so more of them need no memory. */
export const listPlaces = 10

/** Searches that may wait. At `--rate` 2 the last of them starts after 50 s at the soonest, when clients give up. */
export const queuePlaces = 100
