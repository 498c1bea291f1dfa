import Button from '@mui/material/Button'
import { useEffect } from 'react'
import { isRouteErrorResponse, useRouteError } from 'react-router'
import { RetryIcon } from '../ui/icons.tsx'
import { StatusPage } from './status-page.tsx'

/** Shown when a page crashes, with a way back. */
export const ErrorPage = () => {
  const error = useRouteError()
  useEffect(() => console.error(error), [error])
  const details = isRouteErrorResponse(error)
    ? error.statusText
    : error instanceof Error
      ? error.message
      : String(error)
  return (
    <StatusPage
      title="Something went wrong"
      action={
        <Button variant="contained" startIcon={<RetryIcon />} onClick={() => window.location.reload()}>
          Retry
        </Button>
      }
    >
      This page could not be shown. What you have saved is safe.
      <br />
      <small>{details}</small>
    </StatusPage>
  )
}
