import type { WorkflowFigures } from '@pilothouse/contract';
import { apiPrefix } from '../../src/prefix.ts';

/** Where browsers get an object by its signed URL: what the API hands out comes through the console, so that pages need no other origin. */
export function objectHref(signed: string): string {
  const { pathname, search } = new URL(signed);
  return pathname.startsWith('/v1/objects/') ? apiPrefix + pathname.slice('/v1/'.length) + search : signed;
}

/** Figures of a workflow, with its picture where browsers get it. */
export const shownFigures = (figures: WorkflowFigures): WorkflowFigures => ({
  ...figures,
  picture: figures.picture && { ...figures.picture, url: objectHref(figures.picture.url) },
});
