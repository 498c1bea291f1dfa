import { styled } from '@mui/material/styles'

const Text = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  color: 'var(--text-2)',
  '&.worse': { color: 'var(--warning)' },
  '&.better': { color: 'var(--success)' },
  '& svg': { flex: 'none' },
})

/** The change of a number against the period before. The arrow is drawn: not every font has one. */
export const Change = ({ percent, isMoreWorse }: { percent: number; isMoreWorse: boolean }) => {
  const direction = percent > 0 ? 'more' : percent < 0 ? 'less' : 'same'
  const verdict = direction === 'same' || !isMoreWorse ? '' : direction === 'more' ? 'worse' : 'better'
  return (
    <Text className={verdict}>
      {direction !== 'same' && (
        <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true" focusable="false">
          <path d={direction === 'more' ? 'M4 1 8 7H0Z' : 'M4 7 0 1h8Z'} fill="currentColor" />
        </svg>
      )}
      {percent === 0
        ? 'as in the period before'
        : `${Math.abs(percent).toLocaleString('en-US')}% ${direction} than in the period before`}
    </Text>
  )
}
