/** Slug of the project that is always there. */
export const FIRST_PROJECT = 'default';
