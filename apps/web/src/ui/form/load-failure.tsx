import Link from '@mui/material/Link'

/** A list of options could not be loaded, with a button to retry. */
export const LoadFailure = ({ onRetry }: { onRetry: () => void }) => (
  <span role="alert" style={{ color: 'var(--error)', lineHeight: '28px' }}>
    The list could not be loaded.{' '}
    <Link component="button" type="button" variant="inherit" sx={{ fontWeight: 600 }} onClick={onRetry}>
      Retry
    </Link>
  </span>
)
