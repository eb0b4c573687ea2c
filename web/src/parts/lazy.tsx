// lazy.tsx - a page whose code is loaded when it is shown first.
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export function lazy(load: () => Promise<{ default: ComponentType }>): ComponentType {
  let loaded: ComponentType | null = null;

  return function Lazy() {
    const [, again] = useState(0);
    const [why, setWhy] = useState('');
    useEffect(() => {
      if (loaded === null) {
        load().then(
          (module) => {
            loaded = module.default;
            again(1);
          },
          () => setWhy('This part of the page cannot be loaded: the server does not answer. Load the page again.'),
        );
      }
    }, []);
    const Page = loaded;
    return Page !== null ? <Page /> : <p class="empty">{why || 'Loading …'}</p>;
  };
}
