import type { RegisteredModel } from '@pilothouse/contract/learning/registry.schema';
import { Card } from '@pilothouse/ui-kit';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { StageBadge } from '../models/model-stages.tsx';
import { CardLink, OverviewRow, OverviewRows } from './overview-rows.tsx';

/** Registered models that answer calls of runs. */
export const ModelsInUse = ({ models }: { models: readonly RegisteredModel[] }) => (
  <Card title="Models in use" flush actions={<CardLink href="/learning/models">All models</CardLink>}>
    <OverviewRows label="Models in use" empty="Runs use the models of the project. No registered model is in use.">
      {models.map((model) => (
        <OverviewRow
          key={model.id}
          href={`/learning/models/${model.name}`}
          name={model.name}
          detail={
            <>
              {model.role ?? 'All roles'} · since <TimeAgo time={model.stageChangedAt} />
            </>
          }
        >
          <StageBadge model={model} />
        </OverviewRow>
      ))}
    </OverviewRows>
  </Card>
);
