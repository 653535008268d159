import { Button, buttonClass } from '@pilothouse/ui-kit';
import { Play } from 'lucide-react';
import { Link, useNavigation, useSubmit } from 'react-router';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { useRole } from '../page/use-role.ts';
import { EditWorkflow, ExportMenu } from './workflow-menus.tsx';

export interface WorkflowActionsProps {
  workflow: {
    name: string;
    version: number;
    latestVersion: number;
    publishedVersion: number | null;
    published: boolean;
    archived: boolean;
  };
  /** Version that the viewer selected. */
  chosenVersion: number | undefined;
}

/** Actions on a workflow for operators. Admins can also publish and archive. */
export const WorkflowActions = ({ workflow, chosenVersion }: WorkflowActionsProps) => (
  <>
    <ExportMenu name={workflow.name} version={workflow.version} />
    {useRole() === 'admin' && <AdminActions workflow={workflow} />}
    {!workflow.archived && (
      <>
        <EditWorkflow workflow={workflow} chosenVersion={chosenVersion} />
        <Link
          to={chosenVersion === undefined ? 'run' : `run?version=${chosenVersion}`}
          className={buttonClass({ variant: 'primary' })}
        >
          <Play aria-hidden="true" /> Run
        </Link>
      </>
    )}
  </>
);

function AdminActions({
  workflow: { name, version, publishedVersion, published, archived },
}: Pick<WorkflowActionsProps, 'workflow'>) {
  const busy = useNavigation().state !== 'idle';
  const submit = useSubmit();
  const perform = (intent: string) => void submit({ intent, version }, { method: 'post' });
  if (archived)
    return (
      <Button disabled={busy} onClick={() => perform('unarchive')}>
        Unarchive
      </Button>
    );
  const isOlder = version < (publishedVersion ?? 0);
  return (
    <>
      {!published &&
        (isOlder ? (
          <ConfirmButton
            variant="plain"
            disabled={busy}
            confirmation={{
              title: `Roll back to v${version}?`,
              verb: 'Roll back',
              text: `New runs of ${name} use v${version} instead of v${publishedVersion}. Active runs keep their version.`,
              onConfirm: () => perform('publish'),
            }}
          >
            Roll back to v{version}
          </ConfirmButton>
        ) : (
          <Button disabled={busy} onClick={() => perform('publish')}>
            Publish v{version}
          </Button>
        ))}
      <ConfirmButton
        variant="quiet"
        disabled={busy}
        confirmation={{
          title: `Archive ${name}?`,
          verb: 'Archive',
          text: 'New runs are rejected, and the list hides the workflow. Its runs are kept. You can unarchive it later.',
          onConfirm: () => perform('archive'),
        }}
      >
        Archive
      </ConfirmButton>
    </>
  );
}
