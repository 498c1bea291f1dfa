import { draw } from '../../ui/icons.tsx'

export const EditIcon = draw('M10.5 2.8l2.7 2.7L5.5 13.2l-3.2.5.5-3.2zM9 4.3 11.7 7')
