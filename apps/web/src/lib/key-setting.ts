import { sessionStore } from './session.ts'

// Per user, not per browser: bench computers are shared.
const key = () => `lis.letter-keys.${sessionStore.get()?.access.userId ?? 0}`

/** Whether keys without Ctrl or Alt do something on pages; users of speech input turn them off (WCAG 2.1.4). */
export const hasLetterKeys = (): boolean => localStorage.getItem(key()) !== 'off'
export const setLetterKeys = (isOn: boolean) => localStorage.setItem(key(), isOn ? 'on' : 'off')
