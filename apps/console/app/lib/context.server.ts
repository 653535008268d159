import { createContext } from 'react-router';
import type { RenderContext } from '../../src/render.ts';

/** What the console's server says with each request. */
export const renderContext = createContext<RenderContext>();
