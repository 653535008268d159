import { createContext } from 'react-router';
import type { RenderContext } from '../../server/page-renderer.ts';

/** Context that the console server passes with each request. */
export const renderContext = createContext<RenderContext>();
