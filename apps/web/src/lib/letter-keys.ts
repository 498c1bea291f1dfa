const key = 'lis.letterKeys'

/** Keys of one sign can be pressed by mistake, and by speech input: each person can turn them off on a device (WCAG 2.1.4). */
export const areLettersOff = (): boolean => localStorage.getItem(key) === 'off'

export const setLettersOff = (isOff: boolean) => {
  if (isOff) localStorage.setItem(key, 'off')
  else localStorage.removeItem(key)
}
