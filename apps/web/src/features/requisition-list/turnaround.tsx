/** Four days is the laboratory's own target; three quarters of it is the time to look. */
const targetHours = 96

/** Turnaround time in days and hours, with a bar that fills towards the target. */
export const Turnaround = ({ hours }: { hours: number | null }) => {
  if (hours === null) return null
  const share = Math.min(1, hours / targetHours)
  const colour =
    hours > targetHours ? 'var(--error)' : hours > targetHours * 0.75 ? 'var(--warning-solid)' : 'var(--n-450)'
  const isLate = hours > targetHours * 0.75
  return (
    // Inline: at the right in a column of numbers, at the left in a card.
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 10 }}>
      <span aria-hidden style={{ width: 56, height: 3, borderRadius: 2, background: 'var(--n-200)' }}>
        <i style={{ display: 'block', height: 3, borderRadius: 2, width: `${share * 100}%`, background: colour }} />
      </span>
      <span
        style={{
          minWidth: 54,
          ...(isLate && { fontWeight: 600, color: hours > targetHours ? 'var(--error)' : 'var(--warning)' }),
        }}
      >
        {Math.floor(hours / 24)} d {String(hours % 24).padStart(2, '0')} h
      </span>
    </span>
  )
}
