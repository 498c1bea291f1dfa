const accepted = ['2.3', '2.3.1', '2.4', '2.5', '2.5.1', '2.6', '2.7', '2.7.1', '2.8', '2.8.1', '2.8.2']

/** Versions 2.6 to 2.8 are read like 2.5.1. */
export const isVersionAccepted = (version: string): boolean => accepted.includes(version)

/** Before 2.5 an ERR segment holds place and code in one field. */
export const isBeforeErrorDetails = (version: string): boolean => {
  const [, minor] = /^2\.(\d)/.exec(version) ?? []
  return minor !== undefined && Number(minor) < 5
}
