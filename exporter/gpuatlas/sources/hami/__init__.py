"""HAMi and Volcano vGPU: what their annotations promise and what their pages count.

Pure readers: text and samples in, model values and rejections out. They do no I/O and ask for no
time. Every annotation and every label may have been written by a tenant or shifted by a bug of the
layer, so each record is judged on its own and a bad one costs itself only.
"""
