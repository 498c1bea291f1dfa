import Link from '@mui/material/Link'

/** A list to choose from did not come: said where it is missed, with the way to ask again. */
export const LoadFailure = ({ onRetry }: { onRetry: () => void }) => (
  <span role="alert" style={{ color: 'var(--error)', lineHeight: '28px' }}>
    The list could not be loaded.{' '}
    <Link component="button" type="button" variant="inherit" sx={{ fontWeight: 600 }} onClick={onRetry}>
      Retry
    </Link>
  </span>
)
