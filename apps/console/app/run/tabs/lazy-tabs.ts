import { lazy } from 'react';

// Tabs that most viewers of a run do not open. Their code loads when they are shown.
export const EventsTab = lazy(() => import('./events-tab.tsx'));
export const ModelUsageTab = lazy(() => import('./model-usage-tab.tsx'));
export const ProposalsTab = lazy(() => import('./proposals-tab.tsx'));
export const VideoTab = lazy(() => import('./video-tab.tsx'));
