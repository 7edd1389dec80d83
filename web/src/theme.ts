// Light and dark: as the system says, or as the user chose.
import type { Store, Theme } from './store';

const kKey = 'catena-theme';

export function startTheme(store: Store): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    document.documentElement.dataset.theme = isDark(store) ? 'dark' : 'light';
    store.tell('theme');
  };
  store.theme = stored();
  system.addEventListener('change', apply);
  apply();
}

export function isDark(store: Store): boolean {
  return store.theme === 'dark' || (store.theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
}

export function toggleTheme(store: Store): void {
  store.theme = isDark(store) ? 'light' : 'dark';
  try {
    localStorage.setItem(kKey, store.theme);
  } catch {
    // a page that was opened as a file may not store anything; the choice then lasts as long as the page
  }
  document.documentElement.dataset.theme = store.theme;
  store.tell('theme');
}

function stored(): Theme {
  try {
    const value = localStorage.getItem(kKey);
    return value === 'dark' || value === 'light' ? value : 'system';
  } catch {
    return 'system';
  }
}
