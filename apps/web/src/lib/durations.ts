const minuteMs = 60_000

/** '22 min', '1 h 54', '14 h', '3 d 04 h': short enough for a cell, exact enough to act on. */
export const formatDuration = (ms: number): string => {
  const minutes = Math.max(0, Math.floor(ms / minuteMs))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 10) return `${hours} h ${pad(minutes % 60)}`
  if (hours < 48) return `${hours} h`
  return `${Math.floor(hours / 24)} d ${pad(hours % 24)} h`
}
const pad = (part: number) => String(part).padStart(2, '0')
