import { createContext } from 'react-router';
import type { RenderContext } from '../../server/page-renderer.ts';

/** What the console's server says with each request. */
export const renderContext = createContext<RenderContext>();
