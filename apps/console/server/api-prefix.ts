/**
 * Path of the API for browsers. It differs from `/v1`: if one host serves both, `/v1` is the API itself, which does not
 * know the cookies of the console.
 */
export const apiPrefix = '/api/v1/';
