/** Most runs that one worker may carry out at a time: those without a page of their own cost next to nothing, those with one 40 to 60 MB. */
export const MAX_SLOTS_PER_WORKER = 1000;
