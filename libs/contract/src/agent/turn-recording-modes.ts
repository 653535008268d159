/* Values that the console needs in browsers: this file has no schema. */

export const turnRecordingModes = ['off', 'failures', 'sample', 'all'] as const;

/** Share of runs that `sample` records without `samplePercent`. */
export const DEFAULT_SAMPLE_PERCENT = 10;
