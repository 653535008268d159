import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ComponentProps, ReactNode } from 'react';
import { buttonClass, type ButtonStyle } from './button.tsx';

export interface MenuProps {
  /** Label of the button. */
  label: ReactNode;
  variant?: ButtonStyle['variant'];
  /** `MenuItem` and `MenuLink` elements. */
  children: ReactNode;
}

const itemClass =
  'flex cursor-pointer items-center gap-2 rounded px-3 py-1.5 text-sm whitespace-nowrap outline-none select-none ' +
  'data-highlighted:bg-raised data-disabled:opacity-50 [&>svg]:size-4 [&>svg]:shrink-0 [&>svg]:text-muted';

/** Button that opens a menu. Arrow keys and the first letters of an item move the focus. Escape closes the menu. */
export const Menu = ({ label, variant = 'quiet', children }: MenuProps) => (
  <BaseMenu.Root modal={false}>
    <BaseMenu.Trigger className={buttonClass({ variant })}>{label}</BaseMenu.Trigger>
    <BaseMenu.Portal>
      <BaseMenu.Positioner align="end" sideOffset={4} collisionPadding={8} className="z-50">
        <BaseMenu.Popup className="min-w-40 rounded-md border border-line bg-surface p-1 text-text shadow-lg outline-none">
          {children}
        </BaseMenu.Popup>
      </BaseMenu.Positioner>
    </BaseMenu.Portal>
  </BaseMenu.Root>
);

/** Menu item that performs an action. */
export const MenuItem = (props: Omit<ComponentProps<typeof BaseMenu.Item>, 'className'>) => (
  <BaseMenu.Item className={itemClass} {...props} />
);

/** Menu item that opens a page. Pass the link of the router as `render`. */
export const MenuLink = (props: Omit<ComponentProps<typeof BaseMenu.LinkItem>, 'className'>) => (
  <BaseMenu.LinkItem className={itemClass} closeOnClick {...props} />
);
