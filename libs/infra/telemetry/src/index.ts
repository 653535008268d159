export { createLog } from './create-log.ts';
export type { LogOptions } from './create-log.ts';
export { maskText, redactLogFields } from './redact-log.ts';
export { createMetrics, collectProcessMetrics } from './metric-factory.ts';
export type { CounterOf, GaugeOf, HistogramOf, MergedHistogramOf, Metrics } from './metric-factory.ts';
export type { Labels, LabelSpec, LabelValues } from './metric-labels.ts';
