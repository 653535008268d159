import { buttonClass, Menu, MenuLink } from '@pilothouse/ui-kit';
import { Download, Pencil } from 'lucide-react';
import { Link } from 'react-router';

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
    <Menu label={label} variant="plain">
      {versions.map(({ number, label }) => (
        <MenuLink key={number} render={<Link to={`edit?version=${number}`} />}>
          Edit {label}
        </MenuLink>
      ))}
    </Menu>
  );
}

/** Export formats of a workflow. */
const exportFormats = [
  { as: 'yaml', label: 'YAML' },
  { as: 'playwright', label: 'Playwright test' },
  { as: 'recording', label: 'Chrome DevTools recording' },
] as const;

export const ExportMenu = ({ name, version }: { name: string; version: number }) => (
  <Menu
    label={
      <>
        <Download aria-hidden="true" /> Export
      </>
    }
  >
    {exportFormats.map(({ as, label }) => (
      <MenuLink key={as} href={`/workflows/${name}/export?as=${as}&version=${version}`} download>
        {label}
      </MenuLink>
    ))}
  </Menu>
);
