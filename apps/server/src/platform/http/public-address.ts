/** The address under which this host is known; on one machine its two names mean the same. */
export const namesOf = (publicUrl: string): string[] => {
  const url = new URL(publicUrl)
  const other = { localhost: '127.0.0.1', '127.0.0.1': 'localhost' }[url.hostname]
  return other === undefined ? [publicUrl] : [publicUrl, publicUrl.replace(url.hostname, other)]
}
