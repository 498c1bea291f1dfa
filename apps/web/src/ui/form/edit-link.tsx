import Button, { type ButtonProps } from '@mui/material/Button'
import { useEffect, useRef } from 'react'
import { Link, useLocation, useNavigate, useNavigationType } from 'react-router'
import { isFocusLost } from '../keep-focus.ts'

const afterEditing = { isAfterEditing: true }

/** From the page with the form of a record back to the page of the record, where the focus returns to 'Edit'. */
export const useBackToRecord = (page: string) => {
  const navigate = useNavigate()
  return ({ replace = false } = {}) => navigate(page, { replace, state: afterEditing })
}

/** Leads from the page of a record to the page with its form. */
export const EditLink = ({ to, ...props }: Pick<ButtonProps, 'variant' | 'color'> & { to: string }) => {
  const ref = useRef<HTMLAnchorElement>(null)
  const { state } = useLocation()
  // A reload, or the way through the history, finds the same state again.
  const isBack =
    useNavigationType() !== 'POP' && (state as Partial<typeof afterEditing> | null)?.isAfterEditing === true
  useEffect(() => {
    if (isBack && isFocusLost()) ref.current?.focus()
  }, [isBack])
  return (
    <Button {...props} component={Link} to={to} ref={ref}>
      Edit
    </Button>
  )
}
