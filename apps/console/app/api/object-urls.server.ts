import type { WorkflowStats } from '@pilothouse/contract/api/workflow-stats.schema';
import { apiPrefix } from '../../server/api-prefix.ts';

/**
 * URL of an object for browsers. Objects of the API go through the console, so pages need no other origin. Other
 * objects keep their URL.
 * @param endpoint origin of the object store, if browsers use it directly
 */
export function objectHref(signedUrl: string, endpoint?: string): string {
  const { pathname, search, origin } = new URL(signedUrl);
  if (endpoint !== undefined && origin === new URL(endpoint).origin) return signedUrl;
  return pathname.startsWith('/v1/objects/') ? apiPrefix + pathname.slice('/v1/'.length) + search : signedUrl;
}

/** Statistics of a workflow with a thumbnail URL for browsers. @param endpoint see `objectHref` */
export const withThumbnailUrl = (stats: WorkflowStats, endpoint?: string): WorkflowStats => ({
  ...stats,
  thumbnail: stats.thumbnail && { ...stats.thumbnail, url: objectHref(stats.thumbnail.url, endpoint) },
});
