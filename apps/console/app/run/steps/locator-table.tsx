import { Cell, classes, Table } from '@pilothouse/ui-kit';
import { formatDuration } from '../../shared/duration.ts';
import type { TriedLocator } from './tried-locators.ts';

/** Locators that a step tried. */
export const LocatorTable = ({ rows }: { rows: readonly TriedLocator[] }) => (
  <Table label="Locators" head={['Locator', 'Result', 'Time']}>
    {rows.map(({ locator, result, elapsedMs, isMatch }, index) => (
      <tr key={index}>
        <Cell className="py-1 font-mono text-xs wrap-anywhere">{locator}</Cell>
        <Cell className={classes('text-xs', isMatch ? 'text-good' : 'text-muted')}>{result}</Cell>
        <Cell className="text-xs whitespace-nowrap text-muted">
          {elapsedMs === null ? '' : formatDuration(elapsedMs)}
        </Cell>
      </tr>
    ))}
  </Table>
);
