import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { buttonClass } from './button.tsx';
import { classes } from './class-names.ts';
import { backdropClass, popupClass } from './dialog.tsx';

export interface CommandEntry {
  /** Unique id. */
  value: string;
  label: string;
  /** Secondary text on the right. */
  detail?: string;
}

export interface CommandGroup<Entry extends CommandEntry> {
  /** Heading. */
  value: string;
  items: readonly Entry[];
}

export interface CommandDialogProps<Entry extends CommandEntry> {
  open: boolean;
  title: string;
  /** Accessible name and placeholder of the search field. */
  searchLabel: string;
  /** Text of the search field. */
  text: string;
  onText: (text: string) => void;
  /** Entries that match the text. */
  groups: readonly CommandGroup<Entry>[];
  /** Text if no entry matches. */
  empty: string;
  onSelect: (entry: Entry) => void;
  onClose: () => void;
}

/** Dialog that searches entries by text. Arrow keys move the highlight, Enter selects the entry, Escape closes the dialog. */
export const CommandDialog = <Entry extends CommandEntry>({
  open,
  title,
  searchLabel,
  text,
  onText,
  groups,
  empty,
  onSelect,
  onClose,
}: CommandDialogProps<Entry>) => (
  <Dialog.Root open={open} onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Dialog.Portal>
      <Dialog.Backdrop className={backdropClass} />
      <Dialog.Popup
        aria-label={title}
        className={classes(
          popupClass,
          'top-[12dvh] left-1/2 flex max-h-[76dvh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden',
        )}
      >
        <Autocomplete.Root
          open
          inline
          items={groups}
          filter={null}
          value={text}
          onValueChange={(value, { reason }) => reason !== 'item-press' && onText(value)}
          itemToStringValue={({ label }: Entry) => label}
          autoHighlight="always"
          keepHighlight
        >
          <div className="flex items-center gap-2 border-b border-line px-3 focus-within:border-accent">
            <Autocomplete.Input
              aria-label={searchLabel}
              placeholder={`${searchLabel}…`}
              className="h-11 w-full bg-transparent text-sm text-text outline-none! placeholder:text-muted pointer-coarse:text-base"
            />
            <Dialog.Close aria-label="Close" className={buttonClass({ variant: 'quiet', icon: true })}>
              <span aria-hidden="true" className="text-lg leading-none">
                ×
              </span>
            </Dialog.Close>
          </div>
          <Autocomplete.Status className="sr-only">
            {groups.reduce((sum, { items }) => sum + items.length, 0)} results
          </Autocomplete.Status>
          <Autocomplete.Empty className="p-4 text-sm text-muted empty:hidden">{empty}</Autocomplete.Empty>
          <Autocomplete.List className="min-h-0 overflow-y-auto p-1.5 empty:hidden">
            {(group: CommandGroup<Entry>) => (
              <Autocomplete.Group key={group.value} items={group.items}>
                <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
                  {group.value}
                </Autocomplete.GroupLabel>
                <Autocomplete.Collection>
                  {(entry: Entry) => (
                    <Autocomplete.Item
                      key={entry.value}
                      value={entry}
                      onClick={() => onSelect(entry)}
                      className="flex min-h-8 cursor-pointer items-center justify-between gap-3 rounded px-2 text-sm select-none data-highlighted:bg-raised"
                    >
                      <span className="min-w-0 truncate">{entry.label}</span>
                      {entry.detail && (
                        <span className="max-w-1/2 shrink-0 truncate text-xs text-muted">{entry.detail}</span>
                      )}
                    </Autocomplete.Item>
                  )}
                </Autocomplete.Collection>
              </Autocomplete.Group>
            )}
          </Autocomplete.List>
        </Autocomplete.Root>
      </Dialog.Popup>
    </Dialog.Portal>
  </Dialog.Root>
);
