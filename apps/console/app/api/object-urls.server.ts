import type { WorkflowStats } from '@pilothouse/contract';
import { apiPrefix } from '../../server/api-prefix.ts';

/**
 * Where browsers get an object by its signed URL: what the API hands out comes through the console, so that pages need no other origin. Objects that
 * have an origin of their own stay there.
 * @param endpoint that origin, if there is one
 */
export function objectHref(signedUrl: string, endpoint?: string): string {
  const { pathname, search, origin } = new URL(signedUrl);
  if (endpoint !== undefined && origin === new URL(endpoint).origin) return signedUrl;
  return pathname.startsWith('/v1/objects/') ? apiPrefix + pathname.slice('/v1/'.length) + search : signedUrl;
}

/** Figures of a workflow, with its picture where browsers get it. @param endpoint of `objectHref` */
export const withThumbnailUrl = (stats: WorkflowStats, endpoint?: string): WorkflowStats => ({
  ...stats,
  thumbnail: stats.thumbnail && { ...stats.thumbnail, url: objectHref(stats.thumbnail.url, endpoint) },
});
