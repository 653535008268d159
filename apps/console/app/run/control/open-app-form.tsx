import { Button, Input } from '@pilothouse/ui-kit';
import { AppWindow } from 'lucide-react';
import type { PageControl } from './use-control-session.ts';

/** Opens an application on the desktop of the run. */
export function OpenAppForm({ send }: Pick<PageControl, 'send'>) {
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem('app') as HTMLInputElement;
        send({ kind: 'openApp', app: field.value });
        field.value = '';
      }}
    >
      <Input
        name="app"
        required
        maxLength={100}
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        title="The name of a .desktop file, for example mousepad"
        placeholder="mousepad"
        aria-label="Application"
        autoCapitalize="off"
        spellCheck={false}
        className="max-w-44"
      />
      <Button type="submit">
        <AppWindow aria-hidden="true" /> Open
      </Button>
    </form>
  );
}
