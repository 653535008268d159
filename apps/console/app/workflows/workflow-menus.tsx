import { buttonClass } from '@pilothouse/ui-kit';
import { Download, Pencil } from 'lucide-react';
import { Link } from 'react-router';
import { DropdownMenu } from '../shared/dropdown-menu.tsx';

export interface EditWorkflowProps {
  workflow: { version: number; latestVersion: number; published: boolean };
  /** Version that the viewer selected. */
  chosenVersion: number | undefined;
}

/** Link to the editor of the selected version. Without a selection, a menu offers the published version and a newer draft. */
export function EditWorkflow({ workflow: { version, latestVersion, published }, chosenVersion }: EditWorkflowProps) {
  const label = (
    <>
      <Pencil aria-hidden="true" /> Edit
    </>
  );
  if (chosenVersion !== undefined || version === latestVersion) {
    return (
      <Link to={`edit?version=${version}`} className={buttonClass()}>
        {label}
      </Link>
    );
  }
  const versions = [
    { number: version, label: `v${version}${published ? ' (published)' : ''}` },
    { number: latestVersion, label: `v${latestVersion} (latest draft)` },
  ];
  return (
    <DropdownMenu label={label}>
      {versions.map(({ number, label }) => (
        <li key={number}>
          <Link to={`edit?version=${number}`} className="block rounded px-3 py-1.5 text-sm hover:bg-raised">
            Edit {label}
          </Link>
        </li>
      ))}
    </DropdownMenu>
  );
}

/** Export formats of a workflow. */
const exportFormats = [
  { as: 'yaml', label: 'YAML' },
  { as: 'playwright', label: 'Playwright test' },
  { as: 'recording', label: 'Recording for Chrome DevTools' },
] as const;

export const ExportMenu = ({ name, version }: { name: string; version: number }) => (
  <DropdownMenu
    label={
      <>
        <Download aria-hidden="true" /> Export
      </>
    }
  >
    {exportFormats.map(({ as, label }) => (
      <li key={as}>
        <a
          href={`/workflows/${name}/export?as=${as}&version=${version}`}
          download
          className="block rounded px-3 py-1.5 text-sm hover:bg-raised"
        >
          {label}
        </a>
      </li>
    ))}
  </DropdownMenu>
);
