import type { RegisteredModel, RegistryStage } from '@pilothouse/contract/learning/registry.schema';
import { Badge, type Tone } from '@pilothouse/ui-kit';

interface StageLabel {
  label: string;
  tone: Tone;
}

const stageLabels: Readonly<Record<RegistryStage, StageLabel>> = {
  registered: { label: 'Registered', tone: 'plain' },
  shadow: { label: 'Shadow', tone: 'live' },
  canary: { label: 'Canary', tone: 'warn' },
  active: { label: 'Active', tone: 'good' },
  rolled_back: { label: 'Rolled back', tone: 'bad' },
  retired: { label: 'Retired', tone: 'plain' },
};

/** Label of a stage, with the share of a shadow or canary. */
export function stageText(stage: RegistryStage, percent: number | null): string {
  const { label } = stageLabels[stage];
  return percent === null ? label : `${label} ${percent}%`;
}

/** Stage of a registered model. */
export const StageBadge = ({
  model: { stage, canaryPercent, shadowPercent },
}: {
  model: Pick<RegisteredModel, 'stage' | 'canaryPercent' | 'shadowPercent'>;
}) => <Badge tone={stageLabels[stage].tone}>{stageText(stage, canaryPercent ?? shadowPercent)}</Badge>;
