const scalingLabels: Record<string, string> = {
  create: 'started',
  drain: 'drained',
  stop: 'stopped',
  'below-min': 'fewer than the least',
  waiting: 'runs wait',
  'idle-target': 'to be kept warm',
  cordon: 'cordoned',
  uncordon: 'uncordoned',
  manual: 'by hand',
  cooldown: 'idle for long',
  'above-max': 'more than the most',
  'old-template': 'made of an old template',
  'start-timeout': 'did not start in time',
  'drain-timeout': 'did not exit in time',
  'out-of-touch': 'not heard of any more',
  'not-needed': 'needed no more',
};

/** Label of a scaling action or reason. */
export const scalingLabel = (word: string): string => scalingLabels[word] ?? word;
