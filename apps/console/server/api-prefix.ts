/**
 * Under which path browsers reach the API. Not its own, `/v1`: where one host leads to both, that is the API itself, which does not know the console's
 * cookies.
 */
export const apiPrefix = '/api/v1/';
