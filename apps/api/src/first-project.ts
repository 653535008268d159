/** Slug of the project that is always there. */
export const DEFAULT_PROJECT_SLUG = 'default';
